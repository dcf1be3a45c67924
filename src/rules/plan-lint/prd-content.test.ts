import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasPrdContent } from './prd-content.ts';

const template = readFileSync(new URL('../../../templates/prd.md', import.meta.url), 'utf8');

test('the scaffold of `ralph init` has no content, and one line of one’s own makes some', () => {
  expect(hasPrdContent(template)).toBe(false);
  expect(hasPrdContent(template.replace('## Problem', 'Customers redeem coupons.\n\n## Problem'))).toBe(true);
});

test.each([
  ['nothing', ''],
  ['a title', '\ufeff# Coupons\r\n\r\n## Goals\r\n'],
  ['empty bullets and boxes', '# A\n- \n- [ ]\n* \n| | |\n|---|---|\n'],
  ['placeholders', '# A\n\n[Describe the problem]\n\n{{GOALS}}\n\nTBD\n'],
  ['front matter', '---\ntitle: Coupons\nowner: una\n---\n\n# Coupons\n'],
  ['a comment that never ends', '# A\n<!-- write here\nsomething\n'],
])('%s is no content', (_, text) => {
  expect(hasPrdContent(text)).toBe(false);
});

test.each([
  ['a sentence', 'Customers redeem coupons.'],
  ['another script', '# 目标\n\n用户可以登录。\n'],
  ['a link', '[the notes](notes.md)'],
  ['a list', '## Goals\n- log in\n'],
  ['text between comments', '<!-- a -->kept<!-- b -->'],
])('%s is content', (_, text) => {
  expect(hasPrdContent(text)).toBe(true);
});
