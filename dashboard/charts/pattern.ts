/** How the parts of a stack are told from each other without their colours. */
export const PATTERNS = ['solid', 'lines', 'dots', 'cross'] as const;
export type Pattern = (typeof PATTERNS)[number];

const SIZE = 6;

/** A fill for a canvas: the colour, with lines or dots of the background in it. */
export function fillOf(context: CanvasRenderingContext2D, pattern: Pattern, colour: string, ground: string) {
  if (pattern === 'solid') return colour;
  const scale = Math.max(1, Math.round(devicePixelRatio));
  const tile = document.createElement('canvas');
  tile.width = SIZE * scale;
  tile.height = SIZE * scale;
  const paint = tile.getContext('2d');
  if (paint === null) return colour;
  paint.scale(scale, scale);
  paint.fillStyle = colour;
  paint.fillRect(0, 0, SIZE, SIZE);
  paint.strokeStyle = ground;
  paint.fillStyle = ground;
  paint.lineWidth = 1.4;
  DRAW[pattern](paint);
  return context.createPattern(tile, 'repeat') ?? colour;
}

const DRAW: Readonly<Record<Exclude<Pattern, 'solid'>, (paint: CanvasRenderingContext2D) => void>> = {
  lines: (paint) => diagonals(paint, [-1, 1]),
  dots(paint) {
    paint.beginPath();
    paint.arc(SIZE / 2, SIZE / 2, 1.3, 0, 2 * Math.PI);
    paint.fill();
  },
  cross(paint) {
    paint.fillRect(0, SIZE / 2 - 0.7, SIZE, 1.4);
    paint.fillRect(SIZE / 2 - 0.7, 0, 1.4, SIZE);
  },
};

/** Drawn beyond the tile's edge as well, so that tiles join. */
function diagonals(paint: CanvasRenderingContext2D, shifts: readonly number[]): void {
  paint.beginPath();
  for (const shift of [0, ...shifts.map((one) => one * SIZE)]) {
    paint.moveTo(shift, SIZE);
    paint.lineTo(shift + SIZE, 0);
  }
  paint.stroke();
}
