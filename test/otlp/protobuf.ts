/** A field of a protobuf message: its number, and its bytes or its number. https://protobuf.dev/programming-guides/encoding/ */
export interface Field {
  readonly number: number;
  /** Content of a length-delimited field; empty otherwise. */
  readonly bytes: Buffer;
  /** Value of a varint or a fixed field; 0n otherwise. */
  readonly value: bigint;
}

const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];
const NOTHING = Buffer.alloc(0);

/** The fields of a message in their order. Throws for a message that is cut off. */
export function readFields(message: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    switch (tag & 7) {
      case VARINT:
        fields.push({ number, bytes: NOTHING, value: varint() });
        break;
      case FIXED64:
        fields.push({ number, bytes: NOTHING, value: message.readBigUInt64LE(at) });
        at += 8;
        break;
      case BYTES: {
        const length = Number(varint());
        if (at + length > message.length) throw new Error(`field ${number} is cut off`);
        fields.push({ number, bytes: message.subarray(at, at + length), value: 0n });
        at += length;
        break;
      }
      case FIXED32:
        fields.push({ number, bytes: NOTHING, value: BigInt(message.readUInt32LE(at)) });
        at += 4;
        break;
      default:
        throw new Error(`field ${number} has the unknown wire type ${tag & 7}`);
    }
  }
  return fields;
}
