/** The oldest Node that zukan runs on. Plain JavaScript that an older one can run. */
export const REQUIRED = '24.20';

/** Compares the major and the minor number of a version like v24.20.0. */
export function isNewEnough(version) {
  const [[major, minor], [requiredMajor, requiredMinor]] = [version.replace('v', ''), REQUIRED].map((text) =>
    text.split('.').map(Number),
  );
  return major === requiredMajor ? minor >= requiredMinor : major > requiredMajor;
}
