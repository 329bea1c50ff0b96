// Decodes the text of a report's engine and script: a group of eleven characters is a number to the base 94 with its low
// digit first, and gives nine bytes. The last group may be shorter. The characters are printable ASCII without `<`.

const CHARACTERS = 94;
const GROUP_BYTES = 9;
const GROUP_CHARACTERS = 11;

export function fromDenseText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor((text.length * GROUP_BYTES) / GROUP_CHARACTERS));
  const digitAt = (at: number) => {
    const code = text.charCodeAt(at);
    return code > 0x3c ? code - 0x21 : code - 0x20;
  };
  let position = 0;
  // Bytes behind the end of a shorter last group are dropped.
  const put = (part: number) => {
    bytes[position] = part;
    bytes[position + 1] = part >>> 8;
    bytes[position + 2] = part >>> 16;
    position += 3;
  };
  for (let start = 0; start < text.length; start += GROUP_CHARACTERS) {
    // The number in three parts of 24 bits. A part times 94 has at most 31 bits, and such numbers are fast.
    let low = 0;
    let middle = 0;
    let high = 0;
    for (let at = Math.min(start + GROUP_CHARACTERS, text.length) - 1; at >= start; at -= 1) {
      low = low * CHARACTERS + digitAt(at);
      middle = middle * CHARACTERS + (low >>> 24);
      high = high * CHARACTERS + (middle >>> 24);
      low &= 0xffffff;
      middle &= 0xffffff;
    }
    put(low);
    put(middle);
    put(high);
  }
  return bytes;
}
