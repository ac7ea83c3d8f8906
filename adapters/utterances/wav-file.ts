const HEADER_BYTES = 44;
const PCM = 1;

/** A RIFF file of 16-bit mono samples (Microsoft's «Multimedia Programming Interface and Data Specifications 1.0»). */
export function wavFile(samples: Int16Array, sampleRateHz: number): Buffer<ArrayBuffer> {
  const dataBytes = samples.length * 2;
  const file = Buffer.alloc(HEADER_BYTES + dataBytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(PCM, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRateHz, 24);
  file.writeUInt32LE(sampleRateHz * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(dataBytes, 40);
  // As they lie in memory: every machine that this runs on is little-endian.
  file.set(new Uint8Array(samples.buffer, samples.byteOffset, dataBytes), HEADER_BYTES);
  return file;
}
