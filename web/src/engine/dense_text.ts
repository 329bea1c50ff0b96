// Bytes from the text that a report holds its engine in: 13 bits in two characters, low bits first; 6 bits in a last single
// one. The characters are those of printable ASCII from `#` on, without `<`.

const CHARACTERS = 91;
const FIRST = 0x23;
const LEFT_OUT = 0x3c;

export function fromDenseText(text: string): Uint8Array<ArrayBuffer> {
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
  for (let pair = 0; pair < pairs; pair += 1) put(number(text, pair * 2) * CHARACTERS + number(text, pair * 2 + 1), 13);
  if (isOdd) put(number(text, text.length - 1), 6);
  return bytes;
}

function number(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code > LEFT_OUT ? code - FIRST - 1 : code - FIRST;
}
