/** Removes the location from XMP: overwrites its elements and attributes with spaces, which XMP uses as padding anyway. */

/**
 * The properties of the EXIF, Photoshop, IPTC, Drone and W3C namespaces that tell a place, by local name: every file chooses
 * its own prefixes. Addresses of the creator and licensor have other names.
 */
const locationName =
  /^(gps(?!versionid).*|.*latitude|.*longitude|(absolute|relative)?altitude|lat|lon|long|location.*|sub-?location|city|state|provincestate|country.*|worldregion|shotlocation)$/i;
const MAX_DEPTH = 100;
const MAX_TAGS = 100_000;
/** A larger packet is removed. Depth maps of phones are a few megabytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * A start tag, end tag, comment, CDATA section or processing instruction, or the start of something else.
 * Without a maximum of attributes, the stack of the regular expression could overflow.
 */
const markup =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<\/[^\s<>]+\s*>|<[^\s<>/!?]+(?:\s+[^\s<>=/"']+\s*=\s*(?:"[^"<]*"|'[^'<]*')){0,1000}\s*\/?>|</g;
const attribute = /\s+([^\s<>=/"']+)\s*=\s*(?:"[^"<]*"|'[^'<]*')/g;

/** Returns the packet with the same length, or undefined if it has no location. */
export function cleanXmp(data: Buffer): Buffer | undefined {
  let end = data.length;
  // Some programs write zeros after the packet.
  while (end > 0 && data[end - 1] === 0) end--;
  // One character per byte: all markup is ASCII. Other zeros mean UTF-16, which belongs in no picture.
  const text = data.toString('latin1', 0, end);
  const isReadable = end <= MAX_BYTES && !text.includes('\0');
  const cleaned = (isReadable ? blankLocation(text) : undefined) ?? ' '.repeat(end);
  if (cleaned === text) return undefined;
  return Buffer.concat([Buffer.from(cleaned, 'latin1'), data.subarray(end)]);
}

/**
 * Undefined if the XML is not well-formed, because nobody can tell what a reader would find in it, or if it has more tags
 * than any program writes.
 */
function blankLocation(text: string): string | undefined {
  const pieces: string[] = [];
  const open: string[] = [];
  let [position, tags] = [0, 0];
  /** The depth of the location element that is being read. */
  let locationDepth: number | undefined;
  const keep = (end: number) => {
    pieces.push(text.slice(position, end));
    position = end;
  };
  const blank = (end: number) => {
    pieces.push(' '.repeat(end - position));
    position = end;
  };
  for (const { 0: tag, index } of text.matchAll(markup)) {
    if (tag === '<' || ++tags > MAX_TAGS) return undefined;
    if (tag.startsWith('<!') || tag.startsWith('<?')) continue;
    const [name = ''] = /[^\s<>/]+/.exec(tag) ?? [];
    const isEnd = tag.startsWith('</');
    const isEmpty = tag.endsWith('/>');
    if (isEnd && open.pop() !== name) return undefined;
    if (!isEnd && locationDepth === undefined && isLocation(name)) {
      keep(index);
      locationDepth = open.length;
    }
    if (!isEnd && !isEmpty) open.push(name);
    if (open.length > MAX_DEPTH) return undefined;
    if (locationDepth === undefined) {
      if (isEnd) continue;
      for (const { 0: pair, 1: key = '', index: offset } of tag.matchAll(attribute)) {
        if (!isLocation(key)) continue;
        keep(index + offset);
        blank(index + offset + pair.length);
      }
    } else if (open.length === locationDepth) {
      blank(index + tag.length);
      locationDepth = undefined;
    }
  }
  if (open.length > 0) return undefined;
  keep(text.length);
  return pieces.join('');
}

/** Declarations of namespaces are kept, because blanking one would make its elements invalid. */
function isLocation(name: string): boolean {
  if (name.startsWith('xmlns')) return false;
  return locationName.test(name.slice(name.indexOf(':') + 1));
}
