/** Looks for accessibility violations with axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** The default rules in light colours; in dark ones, those that depend on colours. */
export async function findViolations(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.emulateMedia({ colorScheme });
  await page.evaluate(source);
  const runOnly = colorScheme === 'dark' ? { type: 'rule', values: ['color-contrast'] } : undefined;
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly });
  const run = `axe.run(document, ${options}).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(run)) as { id: string; nodes: { html: string }[] }[];
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
