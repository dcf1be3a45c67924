import { useEffect, useRef, useState } from 'preact/hooks';

/** A value that changes all the time, as it is every so often. */
export function useCalm<T>(latest: T, everyMs: number): T {
  const [shown, setShown] = useState(latest);
  const newest = useRef(latest);
  newest.current = latest;
  useEffect(() => {
    const timer = setInterval(() => setShown(() => newest.current), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return shown;
}
