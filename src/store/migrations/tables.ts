/**
 * The tables of both databases, as version 1.0.0 made them. Never edit them; append a step to migrations.ts.
 *
 * `shelf` has one row for the whole catalogue, one for animations, and one for each rating, orientation, file type, artist,
 * category and character. The last three kinds also have their public JSON, their position in the list of their kind, and the number of the image
 * that is their cover: the newest one rated sfw, or null. `sort_key` is the name without case. `category` is the folded
 * name of a category and null for other kinds: a partial index would do as well, but then SQLite prepares every statement
 * that binds `kind` again for each call (measured: 9.4 instead of 1.9 microseconds for a look-up by name).
 *
 * `image_shelves`, `perceptual_hash` and `edited` are tables of their own because they are read at once, without the documents. `edited`
 * has the fields of images that an operator decided. The `key` of an alias or blocked name is the name, folded for
 * categories.
 *
 * `title_word` has the folded words of the titles of images, by which they are found. It has no index by image: who removes a
 * title knows its words.
 *
 * `album_image` has the order of the images of albums, by shelf number and id. An image in the trash keeps its position.
 */

/** How each database writes the tables that both have. */
export interface TableSyntax {
  /** The types of an integer, of a text that is compared by its bytes, and of the shelves of an image. */
  int: string;
  key: string;
  shelves: string;
  /** The types of the numbers of shelves and images. */
  shelfNumber: string;
  imageNumber: string;
  /** What follows a table, one that is read by its primary key only, and the primary key of `placement`. */
  end: string;
  endOfIndex: string;
  included: string;
}

export const createTables = (syntax: TableSyntax): string => {
  const { int, key, shelves, shelfNumber, imageNumber, end, endOfIndex, included } = syntax;
  return `
   create table shelf (
     number ${shelfNumber},
     kind ${key} not null,
     id ${key} not null,
     name ${key} not null,
     category ${key} unique,
     size ${int} not null default 0,
     position ${int} not null default 0,
     created_at text not null default '',
     document text not null default '',
     cover ${int},
     sort_key ${key} not null default '',
     unique (kind, id)
   )${end};
   create index shelf_position on shelf (kind, position);
   create index shelf_name on shelf (kind, name);
   create table alias (
     kind ${key} not null,
     key ${key} not null,
     name ${key} not null,
     shelf ${int} not null,
     primary key (kind, key)
   )${endOfIndex};
   create index alias_shelf on alias (shelf);
   create table blocked_name (
     kind ${key} not null,
     key ${key} not null,
     name text not null,
     blocked_at text not null,
     skips ${int} not null default 0,
     primary key (kind, key)
   )${endOfIndex};

   create table image (
     number ${imageNumber},
     id ${key} not null unique,
     etag ${key} not null,
     key ${key} not null,
     mimetype text not null,
     document text not null
   )${end};
   create index image_etag on image (etag);
   create table perceptual_hash (image ${int} primary key, hash text not null)${end};
   create table edited (image ${int} primary key, fields text not null)${end};
   create table title_word (word ${key} not null, image ${int} not null, primary key (word, image))${endOfIndex};

   create table placement (
     shelf ${int} not null,
     position ${int} not null,
     image ${int} not null,
     primary key (shelf, position)${included}
   )${endOfIndex};
   create table image_shelves (
     image ${int} primary key,
     shelves ${shelves} not null,
     width int not null default 0,
     height int not null default 0
   )${end};
   create table album_image (
     album ${int} not null,
     position ${int} not null,
     image ${key} not null,
     primary key (album, position),
     unique (image, album)
   )${endOfIndex};

   create table removed_file (
     hash ${key} primary key,
     image ${key} not null,
     removed_at text not null,
     reason text not null
   )${endOfIndex};
   create index removed_file_image on removed_file (image);
   create table source_file (
     folder ${key} not null,
     path ${key} not null,
     image ${key} not null,
     state text not null,
     fingerprint text not null,
     primary key (folder, path, image)
   )${endOfIndex};
   create index source_file_image on source_file (image);
   create table source_folder (folder ${key} primary key, choice text not null)${endOfIndex};

   create table change (
     number ${int} primary key,
     at ${key} not null,
     origin text not null,
     user_name text not null,
     summary text not null,
     source text,
     added ${int} not null,
     changed ${int} not null,
     removed ${int} not null,
     entries ${int} not null,
     first_image ${int} not null,
     last_image ${int} not null,
     items ${int} not null,
     undoes ${int},
     state text not null
   )${end};
   create table change_item (
     change ${int} not null,
     kind ${key} not null,
     id ${key} not null,
     before text,
     after text,
     undone_by ${int},
     primary key (change, kind, id)
   )${endOfIndex};
   create index change_item_id on change_item (id, kind, change);
   create table trash (
     change ${int} not null,
     id ${key} not null,
     kind text not null,
     removed_at ${key} not null,
     number ${int} not null,
     etag text not null,
     key ${key} not null,
     mimetype text not null,
     document text not null,
     perceptual_hash text,
     edited text not null,
     primary key (change, id)
   )${endOfIndex};
   create index trash_id on trash (id);

   insert into shelf (kind, id, name) values
     ('catalogue', 'all', 'all'),
     ('rating', 'sfw', 'sfw'),
     ('rating', 'questionable', 'questionable'),
     ('rating', 'nsfw', 'nsfw'),
     ('orientation', 'landscape', 'landscape'),
     ('orientation', 'portrait', 'portrait'),
     ('orientation', 'square', 'square'),
     ('animation', 'animated', 'animated');`;
};
