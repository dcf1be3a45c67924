import type { Duplex } from 'node:stream';

/**
 * Carries bytes both ways, with backpressure and half-close (both must allow half-open). When either breaks or is
 * destroyed, so is the other.
 */
export function join(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  bind(one, other);
}

/** Neither outlives the other, until the function that comes back is called. */
export function bind(one: Duplex, other: Duplex): () => void {
  const destroyOne = () => void one.destroy();
  const destroyOther = () => void other.destroy();
  one.on('error', destroyOne).once('close', destroyOther);
  other.on('error', destroyOther).once('close', destroyOne);
  // It may be gone already; then there is no event any more.
  if (one.destroyed) destroyOther();
  if (other.destroyed) destroyOne();
  return () => {
    one.off('close', destroyOther);
    other.off('close', destroyOne);
  };
}
