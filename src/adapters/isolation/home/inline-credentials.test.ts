import { expect, test } from 'vitest';
import { holdsCredential, isSettingsFile } from './inline-credentials.ts';

test.each([
  '{"provider":{"x":{"options":{"apiKey":"abc123def"}}}}',
  "{ apiKey: 'abc123def' }",
  'api_key = "abc123def"',
  'token: abc123def',
  '{"mcpServers":{"x":{"env":{"GITHUB_TOKEN":"abc123def"}}}}',
  '{"headers":{"Authorization":"Bearer abcdefghijklmnop"}}',
  '{"headers":{"X-Any":"sk-ant-api03-abcdefghijklmnopqrst"}}',
  '{"url":"https://una:abc@registry.example/x"}',
  '{"args":["--key","ghp_abcdefghijklmnopqrstuvwxyz012345"]}',
  '{"password":"x"}',
])('%s holds a credential', (text) => {
  expect(holdsCredential(text)).toBe(true);
});

test.each([
  '{"provider":{"x":{"options":{"apiKey":"{env:OPENAI_API_KEY}"}}}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the clients' own syntax for a variable
  '{"headers":{"Authorization":"Bearer ${TOKEN}"}}',
  '{"env":{"GITHUB_TOKEN":"$GITHUB_TOKEN"}}',
  '{"apiKey":""}',
  '{"maxTokens":4096,"security":{"auth":{"selectedType":"gemini-api-key"}}}',
  '{"token": null, "secret": false}',
  '{"model":"anthropic/claude","theme":"dark","url":"https://api.example.com/v1"}',
  'max_output_tokens = 4096',
])('%s holds none', (text) => {
  expect(holdsCredential(text)).toBe(false);
});

test('settings are told from prose and programs by their names', () => {
  expect(['a.json', 'b.jsonc', 'c.toml', 'd.yaml', '.env'].every(isSettingsFile)).toBe(true);
  expect(['CLAUDE.md', 'run.sh', 'x.ts'].some(isSettingsFile)).toBe(false);
});
