/** SQL that takes back what a migration step did, so that a test can let it run again. */
export const WITHOUT_TITLE_WORDS = 'drop table title_word;';
export const WITHOUT_LATER_TABLES = 'drop table album_image; drop table clock;';
/** Of a catalogue without animations. */
export const WITHOUT_SIZES = `
  alter table image_shelves drop column width;
  alter table image_shelves drop column height;
  delete from shelf where kind = 'animation';`;
