import { expect, test } from 'vitest';
import { holdsCredential, isSettingsFile } from './credentials.ts';

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
  '//registry.example/:_authToken=abcdef123456',
  '_auth = dW5hOmFiYw==',
  '<server><id>x</id><password>abc</password></server>',
  '<add key="ClearTextPassword" value="abc" />',
  'nexusPassword=abc',
  'channels:\n  - https://conda.example/t/abcdef-123456/main',
  'index-url = https://una:abc@pypi.example/simple',
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
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the clients' own syntax for a variable
  '//registry.example/:_authToken=${NPM_TOKEN}',
  'registry=https://registry.example/\nauth-type=web',
  '<!--\n <password>example</password>\n-->\n<settings></settings>',
])('%s holds none', (text) => {
  expect(holdsCredential(text)).toBe(false);
});

test('settings are told from prose and programs by their names', () => {
  expect(['a.json', 'b.jsonc', 'c.toml', 'd.yaml', '.env'].every(isSettingsFile)).toBe(true);
  expect(['CLAUDE.md', 'run.sh', 'x.ts'].some(isSettingsFile)).toBe(false);
});
