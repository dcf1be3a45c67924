import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildPage } from './page.ts';

/** Of everything that a browser loads, compressed. */
const MOST_BYTES = 82_000;

test('the page is small, and loads nothing but its own files', async () => {
  const { files } = await buildPage();
  const sizes = Object.values(files).map((content) => gzipSync(content, { level: 9 }).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MOST_BYTES);
  expect(files['app.css']).not.toMatch(/@import|url\(\s*["']?(?!data:)/);
  expect(files['index.html']).not.toMatch(/(?:src|href)="(?!\/?(?:app\.js|app\.css|icon\.svg)")/);
  // The policy of the server forbids both.
  expect(files['index.html']).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
});
