/** Patterns that make backtracking matchers hang, and names on which they are slow. Also used by the floods of the torture run. */

export const hostilePatterns = [
  '%a%a%a%a%a%a%a%b',
  '(%_%_%_%)+x',
  '%a_{200}',
  '%[ab]_{254}',
  '_{0,255}c',
  '(_?){255}(_?){255}x',
  '(a|aa)+b',
  '((a*)*)*b',
  '(a?){255}a{255}',
  '((_{15}){15})+b',
  '(%a){25}%',
  '(%[a-m]%){20}',
  '((%a|%b)%){12}x',
  '(a%|%a|b%|%b|_%)+x',
  '((((_?){9}){9}){9}){9}x',
  '((((){255}){255}){255}){255}a',
  '%(a|b|aa|bb|ab|ba)*(a|b|aa|bb)*_{99}c',
  '[[:alpha:]]{255}[[:digit:]]{255}',
  '%a%_{50}b%_{50}a%_{50}b%_{50}a%',
  '([a-z]*[a-y]*[b-z]*)*x',
];

/**
 * Mostly a and b, so that few patterns fail early. It contains every literal of the patterns, but ends with none that a
 * pattern requires at the end. Always the same for the same number.
 */
export function hostileName(number: number, length: number): string {
  let [name, state] = ['abcx', number + 1];
  while (name.length < length - 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    name += 'aaabbbcdé '[Math.floor(state / 65_536) % 10];
  }
  return `${name}a`;
}
