import { describe, expect, it } from 'vitest';
import { withoutWrittenBodies } from './written-bodies.ts';

describe('withoutWrittenBodies', () => {
  it('leaves out what only goes into a file', () => {
    expect(withoutWrittenBodies("cat > a.md <<'E'\nx\ny\nE\nls")).toBe("cat > a.md <<'E'\nE\nls");
    expect(withoutWrittenBodies('tee a.md <<-E\n\tx\n\tE\nls')).toBe('tee a.md <<-E\n\tE\nls');
  });

  it.each([
    ['a file that may be run later', "cat > a <<'E'\nx\nE\n./a"],
    ['a document that is run by a shell as well', "cat > a.md <<'E'\nx\nE\nsh a.md"],
    ['substitutions that the shell expands', 'cat > a.md <<E\n$(x)\nE\n'],
    ['text for a shell', "cat <<'E' | sh > a.md\nx\nE\n"],
    ['text that ends nowhere', "cat > a.md <<'E'\nx\n"],
  ])('keeps %s', (_, text) => {
    expect(withoutWrittenBodies(text)).toBe(text);
  });
});
