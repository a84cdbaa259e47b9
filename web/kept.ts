/** What the browser keeps between visits, where it lets us. */

export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(`zukan.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`zukan.${name}`, value);
  } catch {
    // Without it nothing is remembered, and everything else works.
  }
}
