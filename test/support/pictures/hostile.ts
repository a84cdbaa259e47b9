/** Small files that would take much memory to decode. */
import { draw } from './pictures.ts';

/** An AVIF file whose header announces these dimensions. */
export async function avifHeader(width: number, height: number): Promise<Buffer> {
  const bytes = await draw({ file: '', format: 'avif', width: 64, height: 64, colour: '#204060' });
  const at = bytes.indexOf('ispe');
  bytes.writeUInt32BE(width, at + 8);
  bytes.writeUInt32BE(height, at + 12);
  return bytes;
}

export function gifOfFrames(count: number): Buffer {
  const start = Buffer.from([...Buffer.from('GIF89a'), 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  const control = Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0]);
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([start, ...Array(count).fill([control, frame]).flat(), Buffer.from([0x3b])]);
}

/** Frames without a picture. */
export function webpOfFrames(count: number): Buffer {
  const frame = Buffer.from('ANMF\x02\0\0\0..', 'latin1');
  const start = Buffer.from('RIFF....WEBPVP8X\x01\0\0\0..', 'latin1');
  return Buffer.concat([start, ...Array(count).fill(frame)]);
}
