//! The place where a step backwards starts.

use crate::edit_site::context::Context;
use crate::edit_site::outcome::Leaf;
use crate::edit_site::search::Search;
use crate::edit_site::value::Value;
use crate::edit_site::wanted::Wanted;
use std::rc::Rc;

/// A method, the search, and the wanted objects.
pub(super) struct Here<'a, 'q, 'c> {
    pub(super) context: &'a Rc<Context<'c>>,
    pub(super) search: &'a Search<'q, 'c>,
    pub(super) wanted: &'a Wanted<'a>,
    pub(super) objects: &'a FindObjects<'a, 'c>,
}

/// Finds the places that create the possible objects of a value. `None` if some of these places are unknown.
pub(super) type FindObjects<'a, 'c> = dyn Fn(&Rc<Context<'c>>, &Value, &Wanted<'_>) -> Option<Vec<Leaf<'c>>> + 'a;

impl<'c> Here<'_, '_, 'c> {
    /// The places that create the possible objects of a value of this method. `None` if some of these places are
    /// unknown.
    pub(super) fn objects(&self, value: &Value, wanted: &Wanted<'_>) -> Option<Vec<Leaf<'c>>> {
        (self.objects)(self.context, value, wanted)
    }
}
