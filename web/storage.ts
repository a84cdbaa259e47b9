/** Settings in local storage, which a browser may deny. */

export function readSetting(name: string): string | undefined {
  try {
    return localStorage.getItem(`zukan.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function saveSetting(name: string, value: string): void {
  try {
    localStorage.setItem(`zukan.${name}`, value);
  } catch {
    // The page works without it.
  }
}
