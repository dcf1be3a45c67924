import { describe, expect, it } from 'vitest';
import { prose } from './prose.ts';
import { CLAIMS, CONTRADICTED, NONE, WORDS } from './weigh.fixture.ts';
import { weigh } from './weigh.ts';

describe('weigh', () => {
  it.each(CLAIMS)('hears a claim in %j', (text) => {
    expect(weigh(prose(text))).toMatchObject({ claims: true, completion: true });
  });

  it.each(WORDS)('hears words of completion, but no claim, in %j', (text) => {
    expect(weigh(prose(text))).toMatchObject({ claims: false, completion: true });
  });

  it.each(NONE)('hears no completion in %j', (text) => {
    expect(weigh(prose(text))).toMatchObject({ claims: false, completion: false });
  });

  it.each(CONTRADICTED)('lets what is left outweigh the claim in %j', (text) => {
    const { claims, confidence } = weigh(prose(text));
    expect(claims).toBe(false);
    expect(confidence).toBeLessThanOrEqual(50);
  });
});
