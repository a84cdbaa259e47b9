/** Signing in to a remote studio with a real browser, which decides what it sends of cookies and origins. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startStudio } from '../../src/cli/serving/studio.ts';
import { setPassword } from '../../src/studio/passwords.ts';
import { findViolationsAtDepth } from '../support/browser/accessibility.ts';
import { openPage, startBrowser } from '../support/browser/browser.ts';
import { waitForMessage } from '../support/browser/studio-page.ts';
import { importGalleryCatalogue } from '../support/catalogues/gallery.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { certificate, privateKey } from '../support/zukan/certificate.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const PASSWORD = 'correct horse battery';

describe('a remote studio', { skip }, async () => {
  if (skip) return;
  after(() => studio[Symbol.asyncDispose]());
  const config = (await importGalleryCatalogue(3))();
  for (const name of ['anna', 'ben']) await setPassword(config.dataDir, name, PASSWORD, 16);
  const tls = { cert: Buffer.from(certificate), key: Buffer.from(privateKey) };
  const studio = await startStudio(config, {
    host: '127.0.0.1',
    port: 0,
    remote: { onEvent: () => {}, tls },
  });

  test('a person signs in without a script, uses the studio, and signs out', async () => {
    const browser = await startBrowser();
    const plain = await openPage(browser, { ignoreHTTPSErrors: true, javaScriptEnabled: false });
    const signIn = async (password: string) => {
      await plain.getByLabel('Name').fill('anna');
      await plain.getByLabel('Password').fill(password);
      await plain.getByRole('button', { name: 'Sign in' }).click();
    };
    await plain.goto(studio.newAddress());
    await signIn('wrong password');
    await plain.getByRole('alert').getByText('The name or the password is wrong.').waitFor();
    await signIn(PASSWORD);
    await plain.getByRole('heading', { name: 'Pictures' }).waitFor();
    const storageState = await plain.context().storageState();
    await plain.context().close();
    assert.deepEqual(
      storageState.cookies.map(({ secure, httpOnly, sameSite }) => [secure, httpOnly, sameSite]),
      [[true, true, 'Strict']],
    );

    const page = await openPage(browser, { ignoreHTTPSErrors: true, storageState, bypassCSP: true });
    await page.goto(studio.newAddress());
    await page.locator('.tile[data-rating]').first().click();
    await page.keyboard.press('3');
    await page.locator('#undo', { hasText: 'Rate nsfw' }).waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator('#lists .changes summary', { hasText: 'studio · anna' }).waitFor();
    // Somebody else undoes it from the history, and not by chance.
    const other = await openPage(browser, { ignoreHTTPSErrors: true });
    await other.goto(studio.newAddress());
    await other.getByLabel('Name').fill('ben');
    await other.getByLabel('Password').fill(PASSWORD);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.locator('.tile[data-rating="nsfw"]').waitFor();
    await other.keyboard.press('Control+z');
    await waitForMessage(other, 'There is nothing to undo.');
    assert.equal(await other.locator('#undo').textContent(), 'Undo');
    await other.getByRole('link', { name: 'History' }).click();
    await other.locator('#lists .changes summary', { hasText: 'studio · anna' }).click();
    await other.getByRole('button', { name: 'Undo… Change 2' }).click();
    await other.locator('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
    await waitForMessage(other, 'Undone: rate nsfw');
    await other.context().close();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    for (const colorScheme of ['light', 'dark'] as const)
      assert.deepEqual(await findViolationsAtDepth(page, colorScheme), [], colorScheme);
    await page.reload();
    await page.getByLabel('Password').waitFor();
    await page.context().close();
  });
});
