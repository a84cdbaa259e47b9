/** Looks for accessibility violations with axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { atDepth } from '../depth.ts';

/** The rules that depend on the colour scheme. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * The default rules in light colours; in dark ones, those that depend on colours. Long pages take seconds: `selector` limits
 * the check to a part.
 */
export async function findViolations(
  page: Page,
  colorScheme: 'light' | 'dark' = 'light',
  selector = 'html',
): Promise<string[]> {
  // Looking at a page without its stylesheet makes the browser lay it out so, which counts as a shift when it arrives.
  await page.waitForLoadState();
  await page.emulateMedia({ colorScheme });
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(readAxe());
  const runOnly = colorScheme === 'dark' ? { type: 'rule', values: colourRules } : undefined;
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly });
  const run = `axe.run(${JSON.stringify(selector)}, ${options}).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(run)) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}

/** In `npm test`, the main view of each page is checked. Its other views and dialogs follow in `npm run test:all`. */
export const findViolationsAtDepth: typeof findViolations = atDepth(async () => [], findViolations);

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

const readAxe = () => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
