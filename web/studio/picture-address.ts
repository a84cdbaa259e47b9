/** The addresses of pictures. Browsers cache these for minutes, so they change when a picture gets another file. */

const KEY = 'zukan-studio-files';
let suffix = sessionStorage.getItem(KEY) ?? '';

/** Without a size, that of the original. */
export function pictureAddress(id: string, size?: number): string {
  return `/picture/${id}${size === undefined ? '' : `/${size}`}${suffix}`;
}

export function forgetPictures(): void {
  suffix = `?${Date.now()}`;
  sessionStorage.setItem(KEY, suffix);
}
