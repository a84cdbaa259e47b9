/** Whether data of an unknown format mentions coordinates: GoPro, C2PA, comments, drones. */
const coordinates = [
  ...['GPSL', 'GPSP', 'GPSI', 'GPSC', 'GPS5', 'GPS9', 'gpsL', 'gps_l', 'gps l', 'GPS l', 'GPS L'],
  ...['Latitude', 'latitude', 'LATITUDE', 'Longitude', 'longitude', 'LONGITUDE'],
];
/** Pictures and videos inside of other data, which have metadata of their own. */
const containers = ['Exif\0\0', 'http://ns.adobe.com/', 'Photoshop 3.0\0', 'ftyp'];

export function mentionsLocation(data: Buffer): boolean {
  return coordinates.some((text) => data.includes(text, 0, 'latin1'));
}

export function mayContainLocation(data: Buffer): boolean {
  return mentionsLocation(data) || containers.some((text) => data.includes(text, 0, 'latin1'));
}
