/** The last backup that succeeded. */
export interface LastBackup {
  /** When it began. */
  at: string;
  bytes: number;
}
