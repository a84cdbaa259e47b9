/** Everything random of a run derives from its seed, so that a seed repeats the run. */
import { hash } from 'node:crypto';
import { seededRandomInt } from '../test/support/zukan/service.ts';

export interface Random {
  /** From 0 to `bound` - 1. */
  below(bound: number): number;
  /** True in this share of cases. */
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** A sequence of its own for each label, so that what one part draws does not depend on the others. */
export function randomFor(seed: number, label: string): Random {
  const state = Buffer.from(hash('sha256', `${seed} ${label}`, 'hex'), 'hex').readInt32LE();
  const below = seededRandomInt(state);
  return {
    below,
    chance: (share) => below(1_000_000) < share * 1_000_000,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
  };
}
