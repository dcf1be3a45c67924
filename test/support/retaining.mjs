/**
 * Loaded before a program (`node --import`): how many objects it holds, and in how many bytes, after a collection, and
 * how large its space for young objects is, when it has printed the start of the iterations that RETAINED_AT names, and
 * how many bytes it allocated since the first of them; as one JSON list when it ends. Only where COUNTS_OF is in its
 * command line.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { getHeapSpaceStatistics, getHeapStatistics, queryObjects } from 'node:v8';

const { COUNTS_FILE: file, COUNTS_OF: program, RETAINED_AT: instants = '' } = process.env;

const SAMPLED = {
  samplingInterval: 8_192,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};

if (file !== undefined && program !== undefined && process.argv[1]?.endsWith(program)) {
  const at = instants.split(',').map(Number);
  const held = [];
  let begun = 0;
  const session = new Session();
  session.connect();
  const allocated = () => {
    let bytes = 0;
    const sum = ({ selfSize, children }) => {
      bytes += selfSize;
      children.forEach(sum);
    };
    session.post('HeapProfiler.getSamplingProfile', (_error, { profile }) => sum(profile.head));
    return bytes;
  };
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text, ...rest) => {
    if (/"type":"select"| \[\d+\/\d+\] /.test(text) && at.includes(++begun)) {
      setImmediate(() => {
        const objects = queryObjects(Object, { format: 'count' });
        const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
        const bytes = getHeapStatistics().used_heap_size;
        held.push({ objects, bytes, young: young.space_size, allocated: held.length === 0 ? 0 : allocated() });
        if (held.length === 1) session.post('HeapProfiler.startSampling', SAMPLED);
      });
    }
    return write(text, ...rest);
  };
  process.once('exit', () => writeFileSync(file, JSON.stringify(held)));
}
