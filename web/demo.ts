/** The line that says how much of the demo is drawn. The server puts it into the page while it draws. */
export const demoLine = () => document.getElementById('demo');

export const isDrawingDemo = () => demoLine() !== null;
