/** The variables of the log. */
import { fail, type Read } from './parsers.ts';

const levels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof levels)[number];
const formats = ['json', 'text'] as const;

export interface LogConfig {
  readonly logLevel: LogLevel;
  readonly logFormat: (typeof formats)[number];
}

export function readLog(read: Read): LogConfig {
  return {
    logLevel: read<LogLevel>('LOG_LEVEL', 'info', oneOf(levels)),
    logFormat: read<LogConfig['logFormat']>('LOG_FORMAT', 'json', oneOf(formats)),
  };
}

export function describeLog({ logLevel, logFormat }: LogConfig): Record<string, string> {
  return { LOG_LEVEL: logLevel, LOG_FORMAT: logFormat };
}

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T =>
    values.find((value) => value === text) ?? fail(`must be one of ${values.join(', ')}`);
