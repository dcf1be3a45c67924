import { describe, expect, it } from 'vitest';
import { initialProgress, sectionsOf } from '../progress.ts';
import { importProgress } from './progress.ts';

const OLD =
  '# Log\nStarted: monday\n---\n## Codebase Patterns\n- use pnpm\n---\n## US-001\n- did it\n---\n## US-002\n- did that\n';

describe('a progress log of another loop', () => {
  it('has its patterns above our line and its entries below', () => {
    const text = importProgress(initialProgress('app'), OLD, [
      { file: 'guardrails.md', text: '# Signs\n\nNever push.\n' },
    ]);
    const { patterns, entries } = sectionsOf(text);
    expect(patterns.join('\n')).toContain('- use pnpm');
    expect(patterns.join('\n')).toContain('Never push.');
    expect(entries.join('\n')).toContain('## US-002\n- did that');
    expect(entries.join('\n')).not.toContain('use pnpm');
  });

  it('is taken over once', () => {
    const once = importProgress(initialProgress('app'), OLD, []);
    expect(importProgress(once, OLD, [])).toBe(once);
  });
});
