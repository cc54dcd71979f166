/** Handlebars without its compiler, which the package declares without types. */
declare module 'handlebars/runtime.js' {
  import Handlebars from 'handlebars';
  export default Handlebars;
}
