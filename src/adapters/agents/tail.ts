/** Keeps the last `maxBytes` bytes of a stream, whatever its length. */
export interface Tail {
  push(chunk: Buffer): void;
  text(): string;
}

export function tailOf(maxBytes: number): Tail {
  let kept = Buffer.alloc(0);
  return {
    push(chunk) {
      // The copy matters: a slice would keep the whole chunk it came from alive.
      kept = Buffer.from(Buffer.concat([kept, chunk.subarray(-maxBytes)]).subarray(-maxBytes));
    },
    text: () => kept.toString('utf8'),
  };
}
