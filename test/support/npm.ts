import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Installs packages of npm in a folder, without running their scripts. */
export async function installPackages(folder: string, names: string[]): Promise<void> {
  const flags = ['--prefix', folder, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', ['install', ...flags, ...names], { cwd: folder });
}
