//! The values that the fields of messages can have, by the declaration of their channel: of all messages that are sent over it.

use crate::ranges::Growing;
use crate::{Interval, Model, ShapeId, hull};

/// The values of the fields of messages.
pub(crate) struct Messages<'m> {
    model: &'m Model,
    /// By shape; none as long as no message is sent.
    fields: Vec<Option<Vec<Growing>>>,
}

impl<'m> Messages<'m> {
    pub(crate) fn of(model: &'m Model) -> Self {
        Messages { model, fields: vec![None; model.shapes.len()] }
    }

    /// The shapes of channels whose messages have so many fields.
    pub(crate) fn shapes(&self, fields: usize) -> Vec<ShapeId> {
        let all = (0u32..).map(ShapeId).zip(&self.model.shapes);
        all.filter(|(_, shape)| shape.fields.len() == fields).map(|(id, _)| id).collect()
    }

    /// A message is sent over a channel of a shape. A value that is not known, or does not fit, is any that the field can hold. Returns
    /// whether more values are possible than before.
    pub(crate) fn send(&mut self, shape: ShapeId, values: impl Iterator<Item = Option<Interval>>) -> bool {
        let ranges = self.model.shape(shape).fields.iter().map(|field| field.cell.range());
        let fits = |(most, values): (Interval, Option<Interval>)| {
            (values.filter(|values| most.0 <= values.0 && values.1 <= most.1).unwrap_or(most), most)
        };
        let stored = ranges.zip(values).map(fits);
        match &mut self.fields[shape.index()] {
            Some(known) => {
                known.iter_mut().zip(stored).fold(false, |grows, (one, (values, most))| one.add(values, most) | grows)
            }
            unknown => {
                *unknown = Some(stored.map(|(values, _)| Growing::of(values)).collect());
                true
            }
        }
    }

    /// The values of the fields of a message over a channel of one of these shapes; none if no message is sent.
    pub(crate) fn received(&self, shapes: &[ShapeId]) -> Option<Vec<Interval>> {
        let sent = shapes.iter().filter_map(|shape| self.fields[shape.index()].as_ref());
        let fields = sent.map(|fields| fields.iter().map(|one| one.values).collect::<Vec<Interval>>());
        fields.reduce(|one, other| one.into_iter().zip(other).map(|(one, other)| hull(one, other)).collect())
    }
}
