/** Rows of text in aligned columns on standard output. */
export function printTable(head: string[], rows: string[][]): void {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  for (const row of all) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    console.log(cells.join('  ').trimEnd());
  }
}
