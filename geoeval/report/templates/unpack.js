// What geoeval/report/packing.py packed.
const unpackNumbers = (text) => {
  const bytes = atob(text), numbers = [];
  let value = 0, factor = 1;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.charCodeAt(i);
    value += (byte & 127) * factor;
    if (byte & 128) factor *= 128;
    else { numbers.push(value); value = 0; factor = 1; }
  }
  return numbers;
};
// One array of x and one of y for each row, with NaN between its parts.
const unpackGeometries = ({rows, parts, vertices, xy}, [east, north], step) => {
  const steps = unpackNumbers(xy), lengths = unpackNumbers(vertices), counts = parts === null ? null : unpackNumbers(parts);
  const signed = (n) => (n % 2 ? -(n + 1) / 2 : n / 2);
  const xs = [], ys = [];
  let at = 0, part = 0, x = 0, y = 0;
  for (let row = 0; row < rows; row++) {
    const count = counts === null ? 1 : counts[row];
    let size = Math.max(count - 1, 0);
    for (let k = 0; k < count; k++) size += lengths[part + k];
    const rowX = new Float64Array(size).fill(NaN), rowY = new Float64Array(size).fill(NaN);
    for (let k = 0, place = 0; k < count; k++, place++)
      for (let left = lengths[part++]; left > 0; left--, place++) {
        x += signed(steps[at++]);
        y += signed(steps[at++]);
        rowX[place] = east + x * step;
        rowY[place] = north + y * step;
      }
    xs.push(rowX);
    ys.push(rowY);
  }
  return {xs, ys};
};
const unpackTexts = ({values, index}) => (index === undefined ? values : unpackNumbers(index).map((i) => values[i]));
