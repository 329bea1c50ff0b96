// Decodes the text of a report's engine and script: 13 bits in two characters, low bits first; 6 bits in a single last
// character. The characters are printable ASCII from `#` on, without `<`.

export function fromDenseText(text: string): Uint8Array<ArrayBuffer> {
  const numberAt = (at: number) => {
    const code = text.charCodeAt(at);
    return code > 0x3c ? code - 0x24 : code - 0x23;
  };
  const pairs = text.length >> 1;
  const isOdd = text.length % 2 === 1;
  const bytes = new Uint8Array((pairs * 13 + (isOdd ? 6 : 0)) >> 3);
  let [waiting, count, position] = [0, 0, 0];
  const put = (bits: number, length: number) => {
    waiting |= bits << count;
    count += length;
    while (count >= 8) {
      bytes[position++] = waiting;
      waiting >>>= 8;
      count -= 8;
    }
  };
  for (let pair = 0; pair < pairs; pair += 1) put(numberAt(pair * 2) * 91 + numberAt(pair * 2 + 1), 13);
  if (isOdd) put(numberAt(text.length - 1), 6);
  return bytes;
}
