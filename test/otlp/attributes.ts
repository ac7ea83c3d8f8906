import { type Field, readFields } from './protobuf.ts';

export type AttributeValue = string | boolean | number | null;

/** The attributes in the fields with this number: https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/common/v1/common.proto */
export function attributesIn(fields: readonly Field[], number: number): Readonly<Record<string, AttributeValue>> {
  return Object.fromEntries(
    all(fields, number).map((attribute) => {
      const [key = Buffer.alloc(0), value = Buffer.alloc(0)] = readFields(attribute).map(({ bytes }) => bytes);
      return [key.toString(), attributeValue(readFields(value)[0])];
    }),
  );
}

export function attributeValue(field: Field | undefined): AttributeValue {
  switch (field?.number) {
    case 1:
      return field.bytes.toString();
    case 2:
      return field.value === 1n;
    case 3:
      return Number(BigInt.asIntN(64, field.value));
    case 4: {
      const double = Buffer.alloc(8);
      double.writeBigUInt64LE(field.value);
      return double.readDoubleLE(0);
    }
    default:
      return null;
  }
}

/** The bytes of the fields with this number. */
export function all(fields: readonly Field[], wanted: number): readonly Buffer[] {
  return fields.filter(({ number }) => number === wanted).map(({ bytes }) => bytes);
}
