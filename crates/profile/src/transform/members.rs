//! Which functions a transform is about.

use super::language::{Action, Transform, TransformError};
use crate::reduction::FunctionNames;
use crate::target::{Members, Target};

impl Transform {
    /// Finds the functions.
    ///
    /// # Errors
    /// The name is none of the experiment's.
    pub(crate) fn members(&self, names: FunctionNames<'_>) -> Result<Members, TransformError> {
        let target = match &self.action {
            Action::Focus(target) | Action::Merge(target) | Action::Hide(target) | Action::Collapse(target) => target,
            Action::CollapseRecursion(Some(name)) => &Target::Function(name.clone()),
            Action::CollapseRecursion(None) => {
                return Ok(Members { is_member: vec![true; names.count() as usize], group: None });
            }
        };
        let members = target.members(names).and_then(|members| match members.is_member[0] {
            true => Err("<Total> stands for all stacks; it is no frame of them".to_owned()),
            false => Ok(members),
        });
        members.map_err(|problem| self.error(target.name().position, problem))
    }
}
