/**
 * A signal that aborts with the first of two, with its reason. Unlike `AbortSignal.any` it leaves nothing attached to a
 * long-lived signal: `release` it.
 */
export function eitherSignal(
  one: AbortSignal,
  other: AbortSignal,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const both = new AbortController();
  const onOne = () => both.abort(one.reason);
  const onOther = () => both.abort(other.reason);
  if (one.aborted) onOne();
  if (other.aborted) onOther();
  one.addEventListener('abort', onOne);
  other.addEventListener('abort', onOther);
  return {
    signal: both.signal,
    release() {
      one.removeEventListener('abort', onOne);
      other.removeEventListener('abort', onOther);
    },
  };
}
