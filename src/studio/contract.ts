/**
 * What the page and the server of the studio say to each other: each address, what a request may contain, and what comes back.
 * The server validates every request with it (requests.ts), and both sides take their types from it. The page imports types
 * only, so nothing of this file, or of what it imports, may need Node's types.
 */
import type { Change, DescribedItem } from '../catalogue/change-log.ts';
import type { EditableField } from '../catalogue/documents/edit-image.ts';
import * as Type from '../lib/json-schema.ts';
import {
  AlbumIds,
  ChangeNumber,
  closed,
  Digits,
  EntryFields,
  Id,
  Ids,
  type ImageEdit,
  ImageFilter,
  Kind,
  NearIds,
  NewPicture,
  Nothing,
  Origin,
  RecordFilter,
  SearchedIds,
  Selection,
  Text,
  Texts,
  TileIds,
  Time,
  type WaitingEdit,
  WaitingEdits,
} from './request-schemas.ts';
import type {
  AddedPicture,
  Alike,
  Applied,
  Changed,
  Counted,
  Found,
  Health,
  Listed,
  ListedEntry,
  RemovedPicture,
  SelectionSummary,
  Tile,
  Undone,
} from './responses.ts';

export type { Kind, MentionedKind, Rating } from '../catalogue/types.ts';
export type * from './responses.ts';
export type { Change, DescribedItem, EditableField, ImageEdit, WaitingEdit };

/** How a request and its response are sent. */
type Form = 'query' | 'lookup' | 'change' | 'upload';

interface Endpoint<F extends Form, Schema extends Type.TSchema, Response> {
  form: F;
  request: Schema;
  /** For the compiler only: what the server makes itself needs no validation. */
  response?: Response;
}

const endpoint =
  <F extends Form>(form: F) =>
  <Schema extends Type.TSchema>(request: Schema) => ({
    returns: <Response>(): Endpoint<F, Schema, Response> => ({ form, request }),
  });
/** GET with a query. The response is JSON, or bytes. */
const query = endpoint('query');
/** POST with JSON, because a query would be too long for all the ids. It changes nothing. */
const lookup = endpoint('lookup');
/** POST with JSON. The response is a line of JSON for each progress, and a last one with the result. */
const change = endpoint('change');
/** POST with a query, and the bytes of a file. */
const upload = endpoint('upload');

export const endpoints = {
  /** Who is signed in, undefined if nobody has to, and the identity of the catalogue. */
  '/data/session': query(Nothing).returns<{ user: string | undefined; catalogue: string }>(),
  /** The ids, 16 bytes each: in the order of the album if there is one, or else oldest first. */
  '/data/images': query(ImageFilter).returns<Uint8Array>(),
  /** The positions of those pictures that the filter matches. The page sends slices of a list. */
  '/data/matches': lookup(Type.Object({ ids: SearchedIds, filter: RecordFilter }, closed)).returns<
    number[]
  >(),
  /** The perceptual hash of a picture, for the filter `like`. */
  '/data/looks': upload(Type.Object({ name: Text }, closed)).returns<{ like: string }>(),
  '/data/entries': query(Type.Object({ kind: Kind }, closed)).returns<ListedEntry[]>(),
  '/data/suggestions': query(Type.Object({ kind: Kind, text: Text }, closed)).returns<Counted[]>(),
  '/data/steps': query(Nothing).returns<Changed>(),
  '/data/history': query(
    Type.Object(
      { image: Type.Optional(Id), origin: Type.Optional(Origin), since: Type.Optional(Time) },
      closed,
    ),
  ).returns<Change[]>(),
  '/data/change': query(Type.Object({ number: Digits, image: Type.Optional(Id) }, closed)).returns<
    DescribedItem[]
  >(),
  '/data/removed': query(Nothing).returns<RemovedPicture[]>(),
  '/data/imports': query(Nothing).returns<Change[]>(),
  '/data/alike': query(Nothing).returns<{ total: number; groups: Alike[][] }>(),
  '/data/problems': query(Nothing).returns<string[]>(),
  '/data/health': query(Nothing).returns<Health>(),
  '/data/tiles': lookup(Type.Object({ ids: TileIds }, closed)).returns<Tile[]>(),
  '/data/summary': lookup(Selection).returns<SelectionSummary>(),
  /** Categories that pictures near these have and these lack. */
  '/data/neighbours': lookup(Type.Object({ ids: NearIds }, closed)).returns<Counted[]>(),
  /** The entries that have these names. Those that do not exist have no id. */
  '/data/names': lookup(Type.Object({ kind: Kind, names: Texts }, closed)).returns<
    { id?: string; name: string }[]
  >(),
  /** Reads all files, and reports how far it is, until the page disconnects. One at a time. Changes nothing. */
  '/check/files': change(Nothing).returns<Listed<string>>(),
  /** One after the other, each once, however often it is sent. Refused unless the page is of this catalogue and user. */
  '/change/images': change(Type.Object({ catalogue: Text, user: Text, edits: WaitingEdits }, closed)).returns<
    Changed & { applied: Applied[] }
  >(),
  '/change/remove': change(
    Type.Object({ ids: Ids, version: Text, reason: Text, isTakeDown: Type.Boolean() }, closed),
  ).returns<Changed>(),
  '/change/allow': change(Selection).returns<Changed>(),
  '/change/restore': change(Selection).returns<Changed>(),
  '/change/trash/empty': change(Nothing).returns<Changed & { images: number; files: number }>(),
  '/change/undo': change(
    Type.Object({ change: ChangeNumber, isPreview: Type.Boolean() }, closed),
  ).returns<Undone>(),
  '/change/entry': change(
    Type.Object(
      { kind: Kind, id: Id, version: Text, fields: EntryFields, addAliases: Texts, removeAliases: Texts },
      closed,
    ),
  ).returns<Changed>(),
  '/change/entry/create': change(Type.Object({ kind: Kind, name: Text }, closed)).returns<Changed>(),
  '/change/entry/merge': change(
    Type.Object({ kind: Kind, from: Id, into: Id, version: Text }, closed),
  ).returns<Changed>(),
  '/change/entry/remove': change(
    Type.Object({ kind: Kind, id: Id, version: Text, block: Type.Boolean() }, closed),
  ).returns<Changed>(),
  /** Pictures of an album go before one of its others, or to the end. */
  '/change/album/order': change(
    Type.Object(
      {
        id: Id,
        ids: AlbumIds,
        before: Type.Optional(Id),
      },
      closed,
    ),
  ).returns<Changed>(),
  /** With `alike=ask`, the pictures that it looks like, if there are any. */
  '/add/picture': upload(NewPicture).returns<AddedPicture | { alike: Found[] }>(),
  /** The picture with this id gets the file, and keeps its fields. */
  '/add/replacement': upload(Type.Object({ name: Text, id: Id, version: Text }, closed)).returns<Changed>(),
};

type Endpoints = typeof endpoints;
export type Address = keyof Endpoints;
/** Those of one form. */
export type AddressOf<F extends Form> = {
  [A in Address]: Endpoints[A]['form'] extends F ? A : never;
}[Address];
export type RequestTo<A extends Address> = Type.Static<Endpoints[A]['request']>;
export type ResponseOf<A extends Address> = Exclude<Endpoints[A]['response'], undefined>;
