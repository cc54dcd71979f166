import MarkdownIt from 'markdown-it';

/** Makes the rendering of Markdown that has `text` in it fail until the result is called, as a bug of the program would. */
export function breakRenderer(text: string): () => void {
  const { render } = MarkdownIt.prototype;
  MarkdownIt.prototype.render = function (source, environment) {
    if (source.includes(text)) throw new RangeError('Maximum call stack size exceeded');
    return render.call(this, source, environment);
  };
  return () => {
    MarkdownIt.prototype.render = render;
  };
}
