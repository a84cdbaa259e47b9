/** Samples the resident memory and the open descriptors of a process. They are 0 if it has ended. */
import { readdirSync } from 'node:fs';
import { residentMb } from '../bench/process.ts';

const INTERVAL_MS = 50;

export interface Usage {
  /** In MB. */
  growth: number;
  peak: number;
  descriptors: { before: number; peak: number };
}

export function startMeter(pid: number): { stop(): Usage } {
  const [before, descriptors] = [readMemory(pid), countDescriptors(pid)];
  let [peak, mostDescriptors] = [before, descriptors];
  const sample = () => {
    peak = Math.max(peak, readMemory(pid));
    mostDescriptors = Math.max(mostDescriptors, countDescriptors(pid));
  };
  const timer = setInterval(sample, INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return { growth: peak - before, peak, descriptors: { before: descriptors, peak: mostDescriptors } };
    },
  };
}

const readMemory = (pid: number) => ifRunning(() => residentMb(pid), 0);

export const countDescriptors = (pid: number) => ifRunning(() => readdirSync(`/proc/${pid}/fd`), []).length;

function ifRunning<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
