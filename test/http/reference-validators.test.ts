// depth: all
/** A second validator accepts the OpenAPI document, and the linter of `reference.test.ts` finds mistakes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

test('is valid OpenAPI', async () => {
  const { valid, errors } = await new Validator().validate(document);
  assert.ok(valid, JSON.stringify(errors));
});

test('the linter finds mistakes', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const { license, ...info } = document.info;
  const source = JSON.stringify({ ...document, info });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  assert.deepEqual(
    problems.map(({ ruleId }) => ruleId),
    ['info-license'],
  );
});
