import { describe, expect, it } from 'vitest';
import { guardContext } from '../../context.fixture.ts';
import { resolveCommand } from '../resolve.ts';

const MAKEFILE = `all: build
build: lint
\t@tsc $$FLAGS
lint:
\tbiome check
deploy: build
\tscp dist host:
`;

function recipes(call: string): readonly string[] {
  const text = `cat > Makefile <<'E'\n${MAKEFILE}E\n${call}`;
  return resolveCommand(text, guardContext()).commands.flatMap(({ name, via }) => (via.includes('make') ? [name] : []));
}

describe('make', () => {
  it('runs the recipes that its goals lead to, the first target without a goal', () => {
    expect(recipes('make')).toEqual(['tsc', 'biome']);
    expect(recipes('make lint')).toEqual(['biome']);
    expect(recipes('make -j4 deploy')).toEqual(['tsc', 'biome', 'scp']);
  });

  it('runs none of them in a rehearsal', () => {
    expect(recipes('make -n deploy')).toEqual([]);
  });

  it('could run each of them when the goals cannot be told', () => {
    expect(recipes('make "$GOAL"')).toEqual(['tsc', 'biome', 'scp']);
  });
});
