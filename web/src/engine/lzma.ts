// Unpacks LZMA. Data in LZMA is a quarter smaller than in gzip, the only format that browsers unpack themselves. The
// code follows the specification of Igor Pavlov's LZMA SDK (public domain) and uses its names.
//
// Input: a file of the format .lzma with its length in the header (properties, dictionary size, length, data). The code
// reads only files that `whittle report` made. Damaged bytes give an error or wrong bytes, in bounded time.

const HEADER = 13;
/** If the range is smaller than this, the next byte is read. */
const NARROW = 0x1000000;
const STATES = 12;
const LEN_LOW = 2;
const LEN_MID = LEN_LOW + 16 * 8;
const LEN_HIGH = LEN_MID + 16 * 8;
const LEN_SIZE = LEN_HIGH + 256;

// Start of each group of probabilities in one array.
const IS_MATCH = 0;
const IS_REP = IS_MATCH + STATES * 16;
const IS_REP_G0 = IS_REP + STATES;
const IS_REP_G1 = IS_REP_G0 + STATES;
const IS_REP_G2 = IS_REP_G1 + STATES;
const IS_REP0_LONG = IS_REP_G2 + STATES;
const POS_SLOT = IS_REP0_LONG + STATES * 16;
const POS = POS_SLOT + 4 * 64;
const ALIGN = POS + 115;
const LEN = ALIGN + 16;
const REP_LEN = LEN + LEN_SIZE;
const LITERAL = REP_LEN + LEN_SIZE;

/** Decodes the bits of the packed bytes. Each bit has a probability. */
class RangeDecoder {
  /**
   * Range and code. If these 32-bit numbers were fields of an object, they would be on the heap, and access would take
   * twice the time.
   */
  private readonly now = new Uint32Array([-1, 0]);
  private readonly probabilities: Uint16Array;

  constructor(
    private readonly bytes: Uint8Array,
    private position: number,
    count: number,
  ) {
    this.probabilities = new Uint16Array(count).fill(1024);
    for (let i = 0; i < 5; i += 1) this.now[1] = ((this.now[1] as number) << 8) | this.next();
  }

  private next(): number {
    const byte = this.bytes[this.position++];
    if (byte === undefined) throw new Error('the compressed data ends too early');
    return byte;
  }

  bit(at: number): number {
    const { now, probabilities } = this;
    const probability = probabilities[at] as number;
    const range = now[0] as number;
    const code = now[1] as number;
    const bound = (range >>> 11) * probability;
    if (code < bound) {
      now[0] = bound;
      probabilities[at] = probability + ((2048 - probability) >> 5);
      if (bound < NARROW) this.fill();
      return 0;
    }
    now[0] = range - bound;
    now[1] = code - bound;
    probabilities[at] = probability - (probability >> 5);
    if (range - bound < NARROW) this.fill();
    return 1;
  }

  /** Reads the next byte if the range has become narrow. */
  private fill(): void {
    const { now } = this;
    now[0] = (now[0] as number) << 8;
    now[1] = ((now[1] as number) << 8) | this.next();
  }

  /** A number of `count` bits, high bits first. */
  tree(at: number, count: number): number {
    let symbol = 1;
    for (let i = 0; i < count; i += 1) symbol = (symbol << 1) | this.bit(at + symbol);
    return symbol - (1 << count);
  }

  /** A number of `count` bits, low bits first. */
  reverseTree(at: number, count: number): number {
    let [symbol, value] = [1, 0];
    for (let i = 0; i < count; i += 1) {
      const bit = this.bit(at + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  /** A number of `count` bits that are stored without probabilities. */
  direct(count: number): number {
    const { now } = this;
    let value = 0;
    for (let i = 0; i < count; i += 1) {
      const range = (now[0] as number) >>> 1;
      const code = now[1] as number;
      const bit = code < range ? 0 : 1;
      now[0] = range;
      if (bit) now[1] = code - range;
      value = (value << 1) | bit;
      if (range < NARROW) this.fill();
    }
    return value;
  }

  /** A literal. `matched` is the byte with which the last match would continue; -1 without a match. */
  literal(at: number, matched: number): number {
    let symbol = 1;
    while (matched >= 0 && symbol < 0x100) {
      const matchBit = (matched >> 7) & 1;
      matched = (matched << 1) & 0xff;
      const bit = this.bit(at + ((1 + matchBit) << 8) + symbol);
      symbol = (symbol << 1) | bit;
      if (matchBit !== bit) break;
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.bit(at + symbol);
    return symbol & 0xff;
  }

  length(at: number, posState: number): number {
    if (this.bit(at) === 0) return 2 + this.tree(at + LEN_LOW + posState * 8, 3);
    if (this.bit(at + 1) === 0) return 10 + this.tree(at + LEN_MID + posState * 8, 3);
    return 18 + this.tree(at + LEN_HIGH, 8);
  }

  distance(length: number): number {
    const slot = this.tree(POS_SLOT + Math.min(length - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const count = (slot >> 1) - 1;
    const start = ((2 | (slot & 1)) << count) >>> 0;
    if (slot < 14) return start + this.reverseTree(POS + start - slot, count);
    return start + this.direct(count - 4) * 16 + this.reverseTree(ALIGN, 4);
  }
}

export function unlzma(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const properties = header.getUint8(0);
  const lc = properties % 9;
  const lp = Math.floor(properties / 9) % 5;
  const posMask = (1 << Math.floor(properties / 45)) - 1;
  const out = new Uint8Array(header.getUint32(5, true));
  const decoder = new RangeDecoder(packed, HEADER, LITERAL + (0x300 << (lc + lp)));
  let [state, position] = [0, 0];
  let [rep0, rep1, rep2, rep3] = [0, 0, 0, 0];

  while (position < out.length) {
    const posState = position & posMask;
    if (decoder.bit(IS_MATCH + state * 16 + posState) === 0) {
      const before = position > 0 ? (out[position - 1] as number) : 0;
      const place = ((position & ((1 << lp) - 1)) << lc) + (before >> (8 - lc));
      const matched = state >= 7 ? (out[position - rep0 - 1] as number) : -1;
      out[position++] = decoder.literal(LITERAL + 0x300 * place, matched);
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length: number;
    if (decoder.bit(IS_REP + state) === 0) {
      [rep3, rep2, rep1] = [rep2, rep1, rep0];
      length = decoder.length(LEN, posState);
      rep0 = decoder.distance(length);
      state = state < 7 ? 7 : 10;
    } else {
      if (decoder.bit(IS_REP_G0 + state) === 0) {
        if (decoder.bit(IS_REP0_LONG + state * 16 + posState) === 0) {
          state = state < 7 ? 9 : 11;
          out[position] = out[position - rep0 - 1] as number;
          position += 1;
          continue;
        }
      } else if (decoder.bit(IS_REP_G1 + state) === 0) {
        [rep1, rep0] = [rep0, rep1];
      } else if (decoder.bit(IS_REP_G2 + state) === 0) {
        [rep2, rep1, rep0] = [rep1, rep0, rep2];
      } else {
        [rep3, rep2, rep1, rep0] = [rep2, rep1, rep0, rep3];
      }
      length = decoder.length(REP_LEN, posState);
      state = state < 7 ? 8 : 11;
    }
    if (rep0 >= position) throw new Error('the compressed data is damaged');
    for (const end = Math.min(position + length, out.length); position < end; position += 1) {
      out[position] = out[position - rep0 - 1] as number;
    }
  }
  return out;
}
