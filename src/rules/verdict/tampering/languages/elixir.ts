import type { Language } from './language.ts';
import { snakeAsserter } from './lexis.ts';

export const elixir: Language = {
  name: 'Elixir',
  extensions: ['ex', 'exs'],
  lexis: {
    lineComments: ['#'],
    blockComments: [],
    strings: [
      { open: '"""', close: '"""', multiline: true },
      { open: '"', close: '"', multiline: true, interpolation: '#{' },
      { open: "'", close: "'" },
    ],
  },
  testPath: /(?:^|\/)test\/.*\.exs?$|_test\.exs$/,
  body: 'indentation',
  cases: [{ shape: 'block', pattern: /^[ \t]*(?:test|property|feature)\s*\(?(?=")/gm }],
  groups: [
    { shape: 'block', pattern: /^[ \t]*describe\s*\(?(?=")/gm },
    { shape: 'block', pattern: /^[ \t]*defmodule\s+(?<name>[\w.]+)/gm },
  ],
  helpers: [{ shape: 'block', pattern: /^[ \t]*defp?\s+(?<name>\w+[?!]?)/gm }],
  annotationLine: /^@/,
  assertion: new RegExp(String.raw`(?<![\w.:])(?:assert\w*|refute\w*|flunk)\b|${snakeAsserter}`, 'gm'),
  skip: /^[ \t]*@(?:module|describe)?tag\s*\(?\s*(?::skip\b|skip:\s*(?:true|")|\[[^\]]*(?::skip\b|skip:\s*(?:true|")))/gm,
  tautology:
    /^(?:assert (?:\( )?(?:true|1)(?: \))?|assert ([\w.]+|'[^']*') == \1|refute (?:\( )?(?:false|nil)(?: \))?|assert .* (?:\|\||or) true)$/,
  vague: /^assert \w+(?: \. \w+)*$|^refute is_nil \(|^assert .* != nil$/,
  swallow: /^[ \t]*rescue\s*\n\s*_\w*\s*->\s*(?::ok|nil|true)\s*\n/gm,
};
