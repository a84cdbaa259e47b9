/**
 * Makes changes of the imports that older versions recorded. Those that only added images can still be undone; what others
 * changed was recorded in another way and is forgotten.
 */
export const KEEP_IMPORT_RUNS = `
  insert into change (number, at, origin, user_name, summary, source, added, changed, removed, entries, first_image,
    last_image, items, state)
  select id, at, case origin when 'studio' then 'studio' else 'import' end, '', 'import', source, added, changed, removed,
    entries, first_image, last_image, 0,
    case state when 'reverted' then 'undone' when 'revertible' then
      case when changes + removed = 0 then 'done' else 'forgotten' end else 'forgotten' end
  from import_run;
  drop table import_run;
  drop table import_change;`;
