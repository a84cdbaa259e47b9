/** Samples the resident memory and the open descriptors of a process. They are 0 if it has ended. */
import { readdirSync, readFileSync } from 'node:fs';

const INTERVAL_MS = 50;

export interface Usage {
  /** In MB. */
  growth: number;
  peak: number;
  descriptors: { before: number; peak: number };
}

export function startMeter(pid: number): { stop(): Usage } {
  const [before, descriptors] = [residentMb(pid), countDescriptors(pid)];
  let [peak, mostDescriptors] = [before, descriptors];
  const sample = () => {
    peak = Math.max(peak, residentMb(pid));
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

function residentMb(pid: number): number {
  const status = ifRunning(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

export const countDescriptors = (pid: number) => ifRunning(() => readdirSync(`/proc/${pid}/fd`), []).length;

function ifRunning<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
