/** The order of the images of albums. `text` is the type of an id. */
export const addAlbums = (text: string): string => `create table album_image (
  album integer not null, position integer not null, image ${text} not null,
  primary key (album, position), unique (image, album))`;
