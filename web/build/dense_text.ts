// Encodes text for `fromDenseText`. `crates/cli/src/commands/report/dense_text.rs` writes the same format.

const CHARACTERS = 91;
const BITS = 13;
const BITS_OF_ONE = 6;

export function toDenseText(bytes: Uint8Array): string {
  const codes: number[] = [];
  const put = (number: number) => codes.push(number + (number < 25 ? 0x23 : 0x24));
  const putTwo = (number: number) => {
    put(Math.floor(number / CHARACTERS));
    put(number % CHARACTERS);
  };
  let [waiting, count] = [0, 0];
  for (const byte of bytes) {
    waiting |= byte << count;
    count += 8;
    if (count >= BITS) {
      putTwo(waiting & ((1 << BITS) - 1));
      waiting >>>= BITS;
      count -= BITS;
    }
  }
  if (count > BITS_OF_ONE) putTwo(waiting);
  else if (count > 0) put(waiting);
  return Buffer.from(codes).toString('latin1');
}
